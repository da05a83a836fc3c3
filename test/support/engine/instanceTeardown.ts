import { rmSync } from 'node:fs';

export default function removeInstance(): void {
  const { N8N_USER_FOLDER: userFolder } = process.env;
  if (userFolder !== undefined) rmSync(userFolder, { recursive: true, force: true });
}
