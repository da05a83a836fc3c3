import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { isAgentTool, withMessage } from './errors';
import type { RequestFailure } from './failure';
import { describeFailure, type Subject } from './messages';

/**
 * Makes the error that n8n shows and logs. The error does not hold the request, which has the API key.
 *
 * @param attempts how often the request was sent
 */
export function toNodeApiError(node: INode, failure: RequestFailure, subject: Subject, attempts = 1): NodeApiError {
  const text = describeFailure(failure, subject, isAgentTool(node));
  const message = attempts > 1 ? `${text.message} (after ${attempts} attempts)` : text.message;
  const response: JsonObject = { message, httpCode: text.httpCode ?? '' };
  const error = withMessage(new NodeApiError(node, response, { ...text, message }), message);
  // `unlessHidden` reads this.
  error.context.hasServiceWords = failure.kind === 'status' && failure.message !== undefined;
  return error;
}
