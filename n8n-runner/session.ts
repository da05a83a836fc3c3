/** A request that n8n's REST API refused. */
export class N8nRequestError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'N8nRequestError';
    this.status = status;
  }
}

/** Talks to n8n's REST API the way the editor does: one browser, one cookie. */
export class Session {
  readonly url: string;
  private cookie = '';

  constructor(url: string) {
    this.url = url;
  }

  /** Sends a request and gives the answer's `data`. */
  async request(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.url}/rest${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'browser-id': 'n8n-nodes-neetoform', cookie: this.cookie },
      ...(body && { body: JSON.stringify(body) }),
    });
    this.keepCookie(response);
    const text = await response.text();
    const answer = parsed(text);
    if (!response.ok)
      throw new N8nRequestError(
        response.status,
        `${method} ${path} → ${response.status}: ${messageOf(answer) ?? text}`,
      );
    return isRecord(answer) && 'data' in answer ? answer['data'] : answer;
  }

  private keepCookie(response: Response): void {
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    if (cookies.length > 0) this.cookie = cookies.join('; ');
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf(answer: unknown): string | undefined {
  return isRecord(answer) && typeof answer['message'] === 'string' ? answer['message'] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
