import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expectGenerated } from './repositoryFiles';

it('a generated file that is out of date tells how to renew it, and what differs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'generated-'));
  const file = join(folder, 'list.txt');
  writeFileSync(file, 'old\n');
  const environment = jest.replaceProperty(process, 'env', {});
  try {
    expect(() => expectGenerated(file, 'new\n')).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /list\.txt is out of date.*\n`WRITE_GENERATED=true npx jest test\/repository\/repositoryFiles\.test\.ts` renews it/,
        ) as string,
        cause: expect.objectContaining({ message: expect.stringMatching(/new[^]*old/) as string }) as Error,
      }) as Error,
    );
  } finally {
    environment.restore();
    rmSync(folder, { recursive: true });
  }
});
