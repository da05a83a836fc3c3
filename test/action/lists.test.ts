import type { INodeParameterResourceLocator } from 'n8n-workflow';

import type { FormInput, Json } from '../../emulator/index.ts';
import { systemClock } from '../../nodes/NeetoForm/api/clock';
import { addForms, addMembers, anyText, LONG_AGO } from '../support/harness';
import { useFastClock } from './fastClock';
import { useFilledForm } from './filledForm';

const filled = useFilledForm();
const { formWith, harness } = filled;

const shownIn = async (method: 'searchForms' | 'searchTeamMembers', filter?: string) =>
  (await harness.list(method, { filter })).results.map(({ name }) => name);

const addNamed = (...forms: Array<[title: string, date: string, more?: Partial<FormInput>]>) =>
  forms.map(([title, date, more]) =>
    harness.emulator.workspace.addForm({ title, createdAt: Date.parse(`${date}:00:00Z`), ...more }),
  );

describe('the list of forms', () => {
  it('shows every form once, the newest first, with links, after one request for each page, also for several forms', async () => {
    const forms = addForms(harness.emulator, 250).map(({ id }) => id);
    const { results, paginationToken } = await harness.list('searchForms');
    expect(paginationToken).toBeUndefined();
    expect(results.map(({ value }) => value)).toEqual(forms.toReversed());
    expect(await harness.options('getForms')).toMatchObject(results.map(({ name, value }) => ({ name, value })));
    expect(results[0]?.url).toBe(`${harness.emulator.url}/forms/${forms.at(-1)}/attempt`);
    const requests = [1, 2, 3].map((page) => `GET /v2/forms?order=desc&page=${page}&page_size=100`);
    expect(harness.requests().toSorted()).toEqual(requests.flatMap((request) => [request, request]));
  });

  it('finds forms by all words of their title, in any case, beyond the first page', async () => {
    addNamed(['Customer SURVEY of old', '2025-01-01T10'], ['Survey', '2025-01-01T09']);
    expect(await shownIn('searchForms', 'survey  CUSTOMER')).toEqual(['Customer SURVEY of old']);
  });

  it('shows the title alone, with the date for forms of one title, and the ID for those of one day', async () => {
    const [, early, late] = addNamed(
      ['Contact', '2025-03-01T10'],
      ['Contact', '2026-01-15T10'],
      [' Contact\n', '2026-01-15T11'],
      ['Feedback', '2026-01-15T12'],
    );
    expect(await shownIn('searchForms')).toEqual([
      'Feedback',
      `Contact (ID ${late?.id})`,
      `Contact (ID ${early?.id})`,
      'Contact (created 2025-03-01)',
    ]);
  });

  it('finds forms without a title by what it shows in its place', async () => {
    addNamed([' ', '2026-01-15T10'], ['Contact', '2026-01-15T10']);
    expect(await shownIn('searchForms', 'untitled')).toEqual(['Untitled form']);
  });

  it('offers archived and unpublished forms, and marks them', async () => {
    const date = '2026-01-16T10';
    addNamed(
      ['Closed', date, { isArchived: true }],
      ['New', date, { isPublished: false }],
      ['Dropped', date, { isArchived: true, isPublished: false }],
    );
    expect((await shownIn('searchForms')).sort()).toEqual([
      'Closed (archived)',
      'Dropped (archived, draft)',
      'New (draft)',
    ]);
  });

  it('names a form without a title by its ID, and links none to an address that is not a web page', async () => {
    const pages = ['https://acme.neetoform.com/a', 'http://127.0.0.1:4010/b'];
    const addresses = ['javascript:alert(1)', '', null, 7, ...pages];
    const forms = addresses.map((attempt_url, index) => ({
      id: `f${index}`,
      ...(index > 1 && { title: null }),
      attempt_url,
    }));
    harness.emulator.fail({ with: { status: 200, body: { forms, total_count: forms.length } } });
    expect((await harness.list('searchForms')).results.map(({ name, url }) => [name, url])).toEqual(
      forms.map(({ id }, index) => [`Untitled form (ID ${id})`, pages[index - 4]]),
    );
  });
});

describe('the list of team members', () => {
  const jane = { email: 'jane@example.com', firstName: 'Jane', lastName: 'Doe', createdAt: LONG_AGO + 1e9 };

  it('shows active members alone, each with the address, so that nobody takes one Jane for another', async () => {
    addMembers(harness.emulator, 1, jane);
    addMembers(harness.emulator, 1, { ...jane, email: 'jane@gone.com', active: false });
    addMembers(harness.emulator, 1, { ...jane, email: 'jane@other.com' });
    addMembers(harness.emulator, 1, { email: 'new@example.com', firstName: '', lastName: '' });
    expect((await shownIn('searchTeamMembers')).sort()).toEqual([
      'Ada Admin (admin@example.com)',
      'Jane Doe (jane@example.com)',
      'Jane Doe (jane@other.com)',
      'new@example.com',
    ]);
  });

  it("has the service's order, and shows the IDs of members with one name and address", async () => {
    const ids = ['b', 'a', 'c'];
    const members = ids.map((id) => ({ id, first_name: 'Jane', last_name: 'Doe', email: 'jane@example.com' }));
    harness.emulator.fail({ with: { status: 200, body: { team_members: members, total_count: 3 } } });
    expect(await shownIn('searchTeamMembers')).toEqual(ids.map((id) => `Jane Doe (ID ${id})`));
  });

  it('shows and finds a member without an address by the ID', async () => {
    const members: Json[] = [{ id: 'm1', first_name: 'Jane', email: null }, { id: 'm2' }];
    harness.emulator.fail({
      when: { times: 2 },
      with: { status: 200, body: { team_members: members, total_count: 2 } },
    });
    expect(await shownIn('searchTeamMembers')).toEqual(['Jane (m1)', 'm2']);
    expect(await shownIn('searchTeamMembers', 'M1')).toEqual(['Jane (m1)']);
  });

  it('finds members by words of the name and the address, in any case, beyond the first page', async () => {
    addMembers(harness.emulator, 100);
    addMembers(harness.emulator, 1, jane);
    addMembers(harness.emulator, 1, { ...jane, email: 'jane@other.com' });
    expect(await shownIn('searchTeamMembers', 'OTHER.com doe')).toEqual(['Jane Doe (jane@other.com)']);
    expect(harness.requests().toSorted()).toEqual(
      [1, 2].map((page) => `GET /v2/team-members?page_number=${page}&page_size=100`),
    );
  });
});

it('the list of roles has Admin, Standard and the roles of all members, each once, in alphabetical order', async () => {
  const given = ['Reviewer', 'Data  Entry ', 'Reviewer', '', 'ärztin', 'editor', 'Standard'];
  for (const [index, organizationRole] of given.entries())
    harness.emulator.workspace.addMember({ email: `other${index}@example.com`, organizationRole, active: index !== 1 });
  const roles = await harness.options('getRoles');
  expect(roles.map(({ name }) => name)).toEqual(['Admin', 'Standard', 'ärztin', 'Data Entry', 'editor', 'Reviewer']);
  const values = ['Admin', 'Standard', 'ärztin', 'Data  Entry ', 'editor', 'Reviewer'];
  // The value is in the exact spelling.
  expect(roles.map(({ value }) => value)).toEqual(values);
});

/** Time zones by the names that JavaScript lists, and those that they have now. */
const RENAMED = Object.entries({
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Godthab': 'America/Nuuk',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Rangoon': 'Asia/Yangon',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Truk': 'Pacific/Chuuk',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
});

it('the list of time zones has all that JavaScript lists, those that it lists by an older name by the current one too, and UTC, without a request', async () => {
  const zones = (await harness.options('getTimeZones')).map(({ value }) => String(value));
  expect(Intl.supportedValuesOf('timeZone')).toEqual(expect.arrayContaining(RENAMED.map(([older]) => older)));
  expect(zones).toEqual(expect.arrayContaining([...RENAMED.flat(), 'America/New_York', 'Europe/Berlin', 'UTC']));
  expect(zones).toEqual([...new Set(zones)].sort());
  expect(() => zones.map((timeZone) => new Intl.DateTimeFormat('en', { timeZone }))).not.toThrow();
  expect(harness.requests()).toEqual([]);
});

describe('the list of questions', () => {
  const questionsOf = async (mode: string, value: unknown) =>
    await harness.options('getQuestions', {
      parameters: { formId: { __rl: true, mode, value } as INodeParameterResourceLocator },
    });

  it('is that of a form given by its title or in upper case, as an operation takes it', async () => {
    formWith({ label: 'Name', slug: 'name' });
    for (const value of [' form', filled.form.id.toUpperCase()])
      expect(await questionsOf('id', value)).toEqual([{ name: 'Name', value: 'name' }]);
  });

  it("has those of the form, in the form's order whatever that of the response: slugs, shown by their labels", async () => {
    formWith(
      { label: 'Email address', slug: 'type-a-question-2', position: 7 },
      { label: 'Name', slug: 'type-a-question', position: 0 },
    );
    harness.emulator.fail({
      with: {
        rewrite: ({ questions, ...others }) => ({
          ...others,
          questions: Array.isArray(questions) ? questions.toReversed() : [],
        }),
      },
    });
    expect(await questionsOf('list', filled.form.id)).toEqual([
      { name: 'Name', value: 'type-a-question' },
      { name: 'Email address', value: 'type-a-question-2' },
    ]);
    expect(harness.requests()).toEqual([`GET /v2/forms/${filled.form.id}`]);
  });

  it('shows the number on the form where labels are equal, and the slug where that looks like another label or there is none', async () => {
    const labels = ['Name', 'Name', 'Name (question 2)', ' '];
    const names = ['Name (question 1)', 'Name (slug-1)', 'Name (question 2) (question 3)', 'slug-3'];
    formWith(...labels.map((label, index) => ({ label, slug: `slug-${index}` })));
    const choices = names.map((name, index) => ({ name, value: `slug-${index}` }));
    // Positions may have gaps.
    for (const question of filled.form.questions) question.position *= 5;
    expect(await questionsOf('url', `https://acme.neetoform.com/forms/${filled.form.id}/build`)).toEqual(choices);
  });

  it.each([
    ['url', 'https://acme.neetoform.com/forms'],
    ['id', null],
  ])('says to choose a form when there is none (%s %j), without a request', async (mode, value) => {
    await expect(questionsOf(mode, value)).rejects.toMatchObject({
      message: "Choose a form in 'Form' to see its questions, or enter their labels with an expression",
      description: anyText(/expression/),
    });
    expect(harness.requests()).toEqual([]);
  });

  it('takes a title that two forms have for an ID, as an operation refuses it', async () => {
    addNamed(['Contact', '2026-01-15T10'], ['Contact', '2026-01-16T10']);
    await expect(questionsOf('id', 'Contact')).rejects.toMatchObject({ httpCode: '404' });
  });

  it('names a form that does not exist', async () => {
    const description =
      "The request was about the form with the ID 'no-such-form'. If this workspace has none, choose another in 'Form'.";
    await expect(questionsOf('id', 'no-such-form')).rejects.toMatchObject({ httpCode: '404', description });
  });
});

describe('a list of a service that cannot answer', () => {
  it('says why after one request, because a user does not wait as long as a workflow', async () => {
    const effect = { status: 429, headers: { 'Retry-After': '11' } };
    harness.emulator.fail({ when: { times: Infinity }, with: effect });
    // The list has no field of the action node to name.
    const error = { message: anyText(/limiting the rate/), description: anyText(/^(?!.*Batching).*in 11 seconds/) };
    await expect(harness.list('searchForms')).rejects.toMatchObject(error);
    expect(harness.requests()).toHaveLength(1);
  });

  it('is requested again when the service is busy for a moment', async () => {
    harness.emulator.fail({ with: { status: 503, headers: { 'Retry-After': '0' }, body: { error: 'Busy' } } });
    expect((await harness.list('searchTeamMembers')).results).toHaveLength(1);
    expect(harness.requests()).toHaveLength(2);
  });
});

describe('a list that takes too long', () => {
  const FASTER = 20;
  useFastClock(FASTER);

  it('is given up ten seconds after it was opened, whichever page is slow', async () => {
    addForms(harness.emulator, 250);
    harness.emulator.fail({ when: { nth: 2, times: Infinity }, with: { delayMs: 60_000 / FASTER } });
    const opened = systemClock.now();
    await expect(harness.list('searchForms')).rejects.toThrow('did not answer in time');
    const seconds = (systemClock.now() - opened) / 1_000;
    expect(seconds).toBeGreaterThanOrEqual(9.9);
    // A request alone may take 30 seconds elsewhere.
    expect(seconds).toBeLessThan(25);
  });
});
