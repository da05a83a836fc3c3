import type { ContenderMaker, ContenderName } from './contender.ts';

// Each is loaded only where it runs: what the others need would count as its memory.
const makers: Record<ContenderName, () => Promise<ContenderMaker>> = {
  ours: async () => (await import('./ours.ts')).ours,
  http100: async () => (await import('./httpRequestNode.ts')).httpRequestNode100,
  httpDefault: async () => (await import('./httpRequestNode.ts')).httpRequestNodeDefault,
  axios: async () => (await import('./axiosLoop.ts')).axiosLoop,
  bare: async () => (await import('./bareClient.ts')).bareClient,
};

/** Loads one contender. */
export async function loadContender(name: ContenderName): Promise<ContenderMaker> {
  return await makers[name]();
}
