import { versions } from '../../n8n-runner/install.ts';
import { readText } from './repositoryFiles';

const dockerfile = readText('Dockerfile');

describe('the Docker files', () => {
  it('name all images by version and digest', () => {
    const files = dockerfile + readText('compose.yaml');
    const images = files.match(/(?<=^(?:FROM |ARG N8N_VERSION=| +image: ))\S+/gm) ?? [];
    const named = images.filter((image) => image !== 'n8n-neetoform' && image !== 'n8nio/n8n:${N8N_VERSION}');
    expect(named).toHaveLength(4);
    const isExact = /(?:^|:)\d+\.\d+[.\d]*(?:-alpine)?@sha256:[0-9a-f]{64}$/;
    expect(named.filter((image) => !isExact.test(image))).toEqual([]);
    const inDocument = readText('docs/docker.md').match(/(?<![\w./])n8nio\/n8n\S*/g);
    expect(inDocument?.filter((image) => !/:\d+\.\d+\.\d+$/.test(image))).toEqual([]);
  });

  it('build the minor version of n8n that is tested last', () => {
    const minor = /^\d+\.\d+\./.exec(versions.at(-1)?.n8n ?? '')?.[0];
    expect(/^ARG N8N_VERSION=(\d+\.\d+\.)/m.exec(dockerfile)?.[1]).toBe(minor);
  });

  it('run no scripts of packages, and install no version that npm chooses', () => {
    expect(dockerfile.match(/npm install\b.*/g)).toEqual([expect.stringContaining('--ignore-scripts')]);
    expect(dockerfile).toMatch(/^ARG NEETOFORM_VERSION$/m);
  });
});
