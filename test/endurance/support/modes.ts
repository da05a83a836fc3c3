/** Where n8n keeps a poller's place, and what starts its polls. */
export type Mode = 'memory' | 'durable';

const durable = {
  N8N_SCHEDULER_ENABLED: 'true',
  N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
  N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

/** What n8n says when a poll has handed it items. */
export const receivedLine = 'Received event to trigger execution for workflow';

/** The settings of an n8n in this mode, which tells in its log what it received from polls. */
export function environmentOf(mode: Mode): Record<string, string> {
  return { N8N_LOG_LEVEL: 'debug', ...(mode === 'durable' && durable) };
}
