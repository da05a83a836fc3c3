import type { FieldValue, Json, MemberInput, QuestionInput, SubmissionInput } from '../store/types.ts';
import type { FormSeed, SubmissionSeed, WorkspaceSeed } from './seed.ts';

const DAY = 24 * 60 * 60 * 1000;

/**
 * A workspace as a small company might have it: three forms with answers and uploaded files, and six members.
 * @param until when the newest submission was made, milliseconds since 1970 UTC
 */
export function sampleWorkspace(until = Date.parse('2026-02-09T05:20:59.464Z')): WorkspaceSeed {
  return { members: members(until), forms: [contact(until), application(until), survey(until)] };
}

function members(until: number): MemberInput[] {
  const member = (name: string, timeZone: string, organizationRole: string, daysAgo: number): MemberInput => {
    const [firstName = '', lastName = ''] = name.split(' ');
    // Addresses have no accents.
    const email = `${firstName}.${lastName}@example.com`.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
    const createdAt = until - daysAgo * DAY;
    return { email, firstName, lastName, timeZone, organizationRole, createdAt, updatedAt: createdAt };
  };
  return [
    member('Oliver Smith', 'America/New_York', 'Admin', 400),
    member('Eve Martin', 'Europe/Paris', 'Admin', 390),
    member('Sana Iyer', 'Asia/Kolkata', 'Editor', 210),
    member('Tomáš Novák', 'Europe/Prague', 'Standard', 120),
    member('Grace Okafor', 'Africa/Lagos', 'Reviewer', 60),
    { ...member('Liam Jones', 'UTC', 'Standard', 300), active: false },
  ];
}

function contact(until: number): FormSeed {
  const questions: QuestionInput[] = [
    { label: 'Full name', kind: 'name', slug: 'full-name', isRequired: true },
    { label: 'Email address', kind: 'email', slug: 'email-address', isRequired: true },
    { label: 'Phone', kind: 'phone', slug: 'phone-number' },
    {
      label: 'What is it about?',
      kind: 'dropdown',
      slug: 'type-a-question',
      options: ['Sales', 'Support', 'Something else'],
      isRequired: true,
    },
    { label: 'Message', kind: 'textarea', slug: 'type-a-question-2', isRequired: true },
    { label: 'Campaign', kind: 'text', slug: 'type-a-question-3', isHidden: true },
  ];
  const people = [
    ['Mia', 'Weber', 'Germany', '+49 30 1234567', 'Sales', 'We are 40 people. What would it cost us?'],
    ['Noah', 'Brown', 'United States', '+1 212 555 0142', 'Support', 'The export stopped after the last update.'],
    ['Aarav', 'Patel', 'India', '+91 22 5550 1234', 'Support', 'How do I change my address?\nThank you!'],
    ['Yui', 'Tanaka', 'Japan', '+81 3 5550 1234', 'Something else', 'ありがとうございます 🎉'],
    ['Lucas', 'Silva', 'Brazil', '+55 11 5550 1234', 'Sales', 'Please call me back <after lunch> & bring numbers.'],
  ];
  const submissions = Array.from({ length: 35 }, (_, index): SubmissionInput => {
    const [first = '', last = '', country = '', phone = '', topic = '', message = ''] =
      people[index % people.length] ?? [];
    const answers: Record<string, Json> = {
      'full-name': { first_name: first, last_name: last },
      'email-address': `${first}.${last}@example.org`.toLowerCase(),
      'type-a-question': topic,
      'type-a-question-2': message,
      'type-a-question-3': index % 2 === 0 ? 'newsletter' : 'search',
    };
    // A question that was skipped has no answer at all.
    if (index % 4 !== 3) answers['phone-number'] = { country_name: country, value: phone };
    return { createdAt: until - (34 - index) * 0.75 * DAY, answers, fieldValues: customColumns(index) };
  });
  return {
    title: 'Contact us',
    createdBy: 'oliver.smith@example.com',
    createdAt: until - 90 * DAY,
    isFavorite: true,
    questions,
    submissions,
  };
}

/** The custom columns "Status" and "Tags". */
function customColumns(index: number): FieldValue[] {
  const status = { value: index < 30 ? 'Done' : 'Open' };
  const tags = { values: index % 3 === 0 ? ['lead', 'urgent'] : [] };
  return [
    { id: `status-${index}`, field_id: '8c1f7a2e-5b4d-4e0f-9b6a-2f1d3c4b5a60', data: status },
    { id: `tags-${index}`, field_id: 'b7d2e9c4-1a3f-4c8e-8d5b-0e9f8a7b6c51', data: tags },
  ];
}

function application(until: number): FormSeed {
  const questions: QuestionInput[] = [
    { label: 'Your name', kind: 'name', slug: 'type-a-question-8', isRequired: true },
    { label: 'Email address', kind: 'email', slug: 'email-address', isRequired: true },
    { label: 'Address', kind: 'address', slug: 'address' },
    { label: 'Website', kind: 'text', slug: 'website' },
    { label: 'CV', kind: 'file_upload', slug: 'file-upload' },
    { label: 'Earliest start', kind: 'date', slug: 'date' },
    {
      label: 'Languages',
      kind: 'checkbox',
      slug: 'multiple-choice',
      options: ['English', 'French', 'German', 'Hindi', 'Spanish'],
    },
    {
      label: 'Can you travel?',
      kind: 'radio',
      slug: 'single-choice',
      options: ['Yes', 'No'],
      isRequired: true,
    },
  ];
  const submissions = ['Ines Costa', 'Omar Haddad', 'Sofia Rossi'].map((name, index): SubmissionSeed => ({
    createdAt: until - (3 - index) * 3 * DAY - 61_123,
    answers: {
      'type-a-question-8': { full_name: name },
      'email-address': `${name.split(' ')[0]?.toLowerCase()}@example.net`,
      address: {
        address: [
          { label: 'Street address', content: `${index + 1} Example Street` },
          { label: 'City', content: 'Springfield' },
          { label: 'Country', content: 'United States' },
        ],
      },
      website: 'https://example.net/portfolio?id=1&lang=en',
      date: '2026-04-01',
      'multiple-choice': ['English', 'Spanish'],
      'single-choice': 'Yes',
    },
    uploads: {
      'file-upload': { name: 'cv.txt', type: 'text/plain', data: Buffer.from(`Curriculum vitae of ${name}\n`) },
    },
  }));
  return {
    title: 'Job application: Support engineer',
    createdBy: 'eve.martin@example.com',
    createdAt: until - 45 * DAY,
    questions,
    submissions,
  };
}

function survey(until: number): FormSeed {
  return {
    title: 'Guest survey 2025',
    createdBy: 'eve.martin@example.com',
    createdAt: until - 230 * DAY,
    isArchived: true,
    questions: [
      { label: 'How was your stay?', kind: 'star_rating', slug: 'star-rating', isRequired: true },
      { label: 'Would you recommend us?', kind: 'opinion_scale', slug: 'opinion-scale', isRequired: true },
      { label: 'Anything else?', kind: 'textarea', slug: 'type-a-question' },
    ],
    submissions: Array.from({ length: 12 }, (_, index) => ({
      createdAt: until - (200 - index) * DAY,
      answers: { 'star-rating': String(1 + (index % 5)), 'opinion-scale': String(index % 11) },
    })),
  };
}
