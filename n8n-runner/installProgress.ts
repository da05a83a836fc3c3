/** What an installation takes, roughly, as far as it is known. */
export interface InstallationSize {
  /** The packages that npm looks up, each with all its versions. */
  names?: number;
  /** The packages that npm downloads and unpacks. */
  packages?: number;
  /** The disk space. */
  megabytes?: number;
}

/**
 * How far an installation is.
 *
 * @param lines what npm has written so far, with `--loglevel http`
 * @param megabytes the disk space that the folder takes
 */
export function describeProgress(lines: string[], megabytes: number, total: InstallationSize): string {
  // npm http fetch GET 200 https://registry.example/gulp 128ms (cache miss)
  // npm http cache y18n@https://registry.example/y18n/-/y18n-5.0.8.tgz 1ms (cache hit)
  const requests = lines.filter((line) => line.startsWith('npm http '));
  const unpacked = requests.filter((line) => line.includes('.tgz')).length;
  const names = requests.length - unpacked;
  return (
    `looked up ${part(names, total.names)} names, ` +
    `unpacked ${part(unpacked, total.packages)} packages, ${part(megabytes, total.megabytes)} MB`
  );
}

const part = (count: number, total?: number) => (total === undefined ? `${count}` : `${count} of about ${total}`);
