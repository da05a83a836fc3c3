/** n8n and `JSON.stringify` are recursive. They throw at a few thousand levels. */
const MAX_DEPTH = 100;

/** Replaces everything deeper than `MAX_DEPTH` by `…`. Returns the same value when nothing is. */
export function limitDepth<T>(value: T): T;
export function limitDepth(value: unknown): unknown {
  return isDeeper(value, MAX_DEPTH) ? cut(value, MAX_DEPTH) : value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.map((part) => cut(part, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cut(part, levels - 1)]));
}
