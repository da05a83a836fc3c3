/** A version of n8n that the package is tried in. */
export interface N8nVersion {
  n8n: string;
  /** Packages of its tree that npm's registry does not have in the version that is asked for, and what to take instead. */
  overrides: Record<string, string>;
}

const forN8n2 = {
  '@langchain/langgraph': '1.4.18',
  '@langchain/langgraph-sdk': '1.9.25',
  '@langchain/protocol': '0.0.16',
  'msgpackr-extract': '3.0.4',
};

/** Oldest first; of each minor version the newest that can be installed. The last one runs the demo and all other tests. */
export const versions: N8nVersion[] = [
  {
    n8n: '1.123.81',
    overrides: {
      xlsx: '0.18.5',
      '@langchain/langgraph': '1.0.2',
      '@langchain/langgraph-checkpoint': '1.0.0',
      'msgpackr-extract': '3.0.4',
    },
  },
  { n8n: '2.30.8', overrides: { xlsx: '0.18.5', linkedom: '0.18.12', ...forN8n2 } },
  { n8n: '2.41.1', overrides: { linkedom: '0.18.12', ...forN8n2 } },
];

/** The version of the demo, and of all tests but those of the other versions. */
export const newestVersion: N8nVersion = versions.at(-1) ?? { n8n: 'latest', overrides: {} };
