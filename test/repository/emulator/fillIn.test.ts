import { startEmulator } from '../../../emulator/index.ts';

it('keeps the time at which its page was opened, and the files that are sent, byte for byte', async () => {
  let now = Date.parse('2026-02-09T06:00:00Z');
  const emulator = await startEmulator({ clock: { now: () => now } });
  const form = emulator.workspace.addForm({ title: 'Test', questions: [{ label: 'Files', kind: 'file_upload' }] });
  const page = `${emulator.url}/forms/${form.id}/attempt`;
  const [, opened = ''] = /name="_opened" value="(\d+)"/.exec(await (await fetch(page)).text()) ?? [];
  now += 3_600_000;
  const [name, bytes] = ['Zoë & "plan".bin', Buffer.from(Array.from({ length: 256 }, (_, value) => value))];
  const body = new FormData();
  body.append('_opened', opened);
  body.append('files', new File([bytes], name, { type: 'image/png' }));
  await fetch(page, { method: 'POST', body });

  const [submission] = emulator.workspace.submissions(form.id);
  const answers = { files: { files: [{ name, url: expect.any(String) as unknown }] } };
  expect(submission).toMatchObject({ createdAt: Date.parse('2026-02-09T06:00:00Z'), answers });
  const [address = ''] = /http[^"]+/.exec(JSON.stringify(submission?.answers)) ?? [];
  const response = await fetch(address);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
  expect(response.headers.get('content-type')).toBe('image/png');
  await emulator.close();
});
