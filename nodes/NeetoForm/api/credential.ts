/** The credential's type, as nodes and n8n name it. */
export const CREDENTIAL = 'neetoFormApi';
