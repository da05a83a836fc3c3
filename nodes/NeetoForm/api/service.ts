import { hasStatus } from './nodeErrors';

/** Waits for a read that the service may refuse to this API key. @returns undefined after the service's 403 or 404 @throws all other errors */
export async function unlessHidden<T>(reading: Promise<T>): Promise<T | undefined> {
  return await reading.catch((error: unknown) => {
    // A 403 or 404 without words in its body may come from a server in between.
    if (hasStatus(error, '403', '404') && error.context.hasServiceWords === true) return undefined;
    throw error;
  });
}

/** Waits for a page that may be past the end of its list. @returns undefined when the service refuses the page @throws any other error */
export async function unlessPastEnd<T>(reading: Promise<T>): Promise<T | undefined> {
  return await reading.catch((error: unknown) => {
    if (hasStatus(error, '400', '404', '422')) return undefined;
    throw error;
  });
}
