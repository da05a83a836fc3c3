import { execFileSync, spawnSync } from 'node:child_process';

/** Finds a program, or installs Debian's package as root. @param command prints where it is, or nothing @throws Error when it is missing */
export function ensureProgram(debianPackage: string, command: string): string {
  const find = () => spawnSync('sh', ['-c', command], { encoding: 'utf8' }).stdout.trim();
  if (find() === '' && process.getuid?.() === 0) {
    console.warn(`Installing ${debianPackage} with apt-get`);
    // RUNLEVEL keeps packages from starting their own servers.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    execFileSync('apt-get', ['update', '--quiet'], { stdio: 'ignore', env });
    const options = ['--yes', '--quiet', '--no-install-recommends'];
    execFileSync('apt-get', ['install', ...options, debianPackage], { stdio: 'ignore', env });
  }
  if (find() === '') throw new Error(`These tests need ${debianPackage}: on Debian, apt-get install ${debianPackage}`);
  return find();
}
