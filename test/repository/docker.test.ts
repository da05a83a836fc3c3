import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const readText = (path: string) => readFileSync(join(__dirname, '../..', path), 'utf8');
const dockerfile = readText('Dockerfile');

// CI checks the Dockerfile and compose.yaml with Docker itself, and builds the image.
describe('the Docker files', () => {
  it('name exact versions of all images', () => {
    const images = [
      ...dockerfile.matchAll(/^(?:FROM |ARG N8N_VERSION=)(\S+)/gm),
      ...readText('compose.yaml').matchAll(/^ +image: (\S+)$/gm),
      ...readText('docs/docker.md').matchAll(/(?<![\w./])(n8nio\/n8n\S*)/g),
    ].map(([, image = '']) => image);
    const named = images.filter((image) => image !== 'n8n-neetoform');
    expect(named.length).toBeGreaterThan(5);
    const isExact = /(?:^|:)(?:\d+\.\d+[.\d]*(?:-alpine)?|\$\{N8N_VERSION\})(?:@sha256:[0-9a-f]{64})?$/;
    expect(named.filter((image) => !isExact.test(image))).toEqual([]);
  });

  it('build the n8n version that the compatibility table ends with', () => {
    const tested = [...readText('README.md').matchAll(/^\| n8n ([\d.]+) \|/gm)].map(([, version]) => version);
    expect(/^ARG N8N_VERSION=(.+)$/m.exec(dockerfile)?.[1]).toBe(tested.at(-1));
  });

  it('run no scripts of packages, and install no version that npm chooses', () => {
    expect(dockerfile.match(/npm install\b.*/g)).toEqual([expect.stringContaining('--ignore-scripts')]);
    expect(dockerfile).toMatch(/^ARG NEETOFORM_VERSION$/m);
  });
});
