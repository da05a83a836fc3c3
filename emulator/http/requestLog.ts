/** One request and what became of it. */
export interface RequestRecord {
  method: string;
  /** As it came over the wire: not decoded, without the query. */
  path: string;
  query: Record<string, string>;
  headers: Record<string, string | string[] | undefined>;
  /** The parsed body; undefined when there was none. */
  body: unknown;
  /** The answer's status; 0 as long as there is no answer, and for ever when a fault took it. */
  status: number;
  /** The answer's body as text; undefined when bodies are not recorded or there was none. */
  responseBody: string | undefined;
  /** The emulator's clock when the request came in, milliseconds since 1970 UTC. */
  at: number;
}
