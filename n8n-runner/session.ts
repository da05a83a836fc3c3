/** An error response of n8n's REST API. */
export class N8nRequestError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'N8nRequestError';
    this.status = status;
  }
}

/** A session with n8n's REST API, as the editor has one: with a browser ID and a cookie. */
export class Session {
  readonly url: string;
  private cookie = '';

  constructor(url: string) {
    this.url = url;
  }

  /**
   * Sends a request and returns the `data` of the response.
   *
   * @throws N8nRequestError when the status is not 2xx
   */
  async request(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.url}/rest${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'browser-id': 'n8n-nodes-neetoform', cookie: this.cookie },
      ...(body && { body: JSON.stringify(body) }),
    });
    this.storeCookie(response);
    const text = await response.text();
    const json = parseJson(text);
    if (!response.ok)
      throw new N8nRequestError(response.status, `${method} ${path} → ${response.status}: ${messageOf(json) ?? text}`);
    return isRecord(json) && 'data' in json ? json['data'] : json;
  }

  private storeCookie(response: Response): void {
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    if (cookies.length > 0) this.cookie = cookies.join('; ');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageOf(json: unknown): string | undefined {
  return isRecord(json) && typeof json['message'] === 'string' ? json['message'] : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
