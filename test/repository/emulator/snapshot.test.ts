import { fromSnapshot, sampleWorkspace, startEmulator, toSnapshot, type Emulator } from '../../../emulator/index.ts';

const running: Emulator[] = [];
afterEach(async () => {
  for (const emulator of running.splice(0)) await emulator.close();
});

async function start(seed: ReturnType<typeof sampleWorkspace>): Promise<Emulator> {
  const emulator = await startEmulator({ seed });
  running.push(emulator);
  return emulator;
}

it('a workspace that was saved is the same after a restart, with what was submitted and uploaded, and has IDs for more', async () => {
  const { workspace: saved, url } = await start(sampleWorkspace());
  const form = saved.forms.find(({ title }) => title.startsWith('Job'));
  if (!form) throw new Error('The sample has no such form');
  const body = new FormData();
  body.append('file-upload', new File([Uint8Array.of(0, 255)], 'own.bin'));
  await fetch(`${url}/forms/${form.id}/attempt`, { method: 'POST', body });
  saved.addMember({ email: 'new@example.com' });

  const { workspace: restored } = await start(fromSnapshot(toSnapshot(saved)));
  expect(restored.members).toEqual(saved.members);
  expect(restored.forms).toEqual(saved.forms);
  for (const { id } of saved.forms) expect(restored.submissions(id)).toEqual(saved.submissions(id));
  expect([...restored.files.values()].at(-1)).toMatchObject({ name: 'own.bin', data: Buffer.of(0, 255) });
  expect(restored.files.size).toBe(saved.files.size);
  const later = restored.addSubmission(form.id);
  expect(saved.submissions(form.id).map(({ id }) => id)).not.toContain(later.id);
  expect(restored.submissions(form.id)).toHaveLength(saved.submissions(form.id).length + 1);
});
