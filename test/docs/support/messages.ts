import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

/** Stands for what differs from case to case. */
export const GAP = '…';

/** Classes whose messages a user sees, and which of their arguments is the message. */
const ERRORS: Record<string, number> = { UserError: 0, NodeOperationError: 1 };

/** Properties that hold a message. */
const PROPERTIES = ['message', 'errorMessage', 'words'];

/** Functions of the sources that take a message: for words of the service that are missing, and for a rule of the credential's test. */
const TAKING: Record<string, number> = { said: 0, answered: 1 };

/** The messages in the sources of a folder, `GAP` in place of what is put in. What is no sentence of its own is left out. */
export function messagesIn(root: string, ...patterns: string[]): string[] {
  return unique(
    sourcesOf(root, patterns).flatMap((source) => collect(source, (node) => messagesAt(node, source))),
  ).filter(isSaid);
}

/** Every text in the sources of a folder. */
export function textsIn(root: string, ...patterns: string[]): string[] {
  return unique(
    sourcesOf(root, patterns).flatMap((source) =>
      collect(source, (node) =>
        ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) ? textsOf(node, source) : [],
      ),
    ),
  );
}

function sourcesOf(root: string, patterns: string[]): ts.SourceFile[] {
  return globSync(patterns, { cwd: root }).map((path) =>
    ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true),
  );
}

function collect(source: ts.SourceFile, visit: (node: ts.Node) => string[]): string[] {
  const found: string[] = [];
  const walk = (node: ts.Node) => {
    found.push(...visit(node));
    ts.forEachChild(node, walk);
  };
  walk(source);
  return found;
}

function messagesAt(node: ts.Node, source: ts.SourceFile): string[] {
  if (ts.isNewExpression(node)) return textsOf(node.arguments?.[ERRORS[node.expression.getText()] ?? -1], source);
  if (ts.isCallExpression(node)) return textsOf(node.arguments[TAKING[node.expression.getText()] ?? -1], source);
  if (ts.isPropertyAssignment(node) && PROPERTIES.includes(node.name.getText()))
    return textsOf(node.initializer, source);
  if (ts.isShorthandPropertyAssignment(node) && PROPERTIES.includes(node.name.text)) return textsOf(node.name, source);
  return [];
}

/** What an expression of the source can be, as text. */
function textsOf(node: ts.Expression | undefined, source: ts.SourceFile): string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    return node.templateSpans.reduce<string[]>(
      (before, { expression, literal }) =>
        before.flatMap((text) => insidesOf(expression, source).map((inside) => text + inside + literal.text)),
      [node.head.text],
    );
  }
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue, source), ...textsOf(node.whenFalse, source)];
  if (ts.isElementAccessExpression(node) && ts.isObjectLiteralExpression(node.expression)) {
    return node.expression.properties.flatMap((property) =>
      ts.isPropertyAssignment(property) ? textsOf(property.initializer, source) : [],
    );
  }
  if (ts.isIdentifier(node)) {
    return collect(source, (other) =>
      ts.isVariableDeclaration(other) &&
      other.name.getText() === node.text &&
      other.initializer !== undefined &&
      !ts.isIdentifier(other.initializer)
        ? textsOf(other.initializer, source)
        : [],
    );
  }
  return [];
}

/** What can stand in a gap of a template: a choice between texts is told apart, all else is a gap. */
function insidesOf(expression: ts.Expression, source: ts.SourceFile): string[] {
  const choices = ts.isConditionalExpression(expression) ? textsOf(expression, source) : [];
  return choices.length > 1 ? choices : [GAP];
}

/** Whether a text says something of its own, and is not the rest of another one's sentence. */
function isSaid(text: string): boolean {
  return (
    /^(?:[\p{Lu}'…]|n8n )/u.test(text) &&
    text
      .replaceAll(GAP, '')
      .split(/\s+/)
      .filter((word) => /[a-z]{2}/i.test(word)).length > 1
  );
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)];
}

/** Characters that may stand in a gap of a message. */
const MOST_IN_GAP = 24;

/** Characters that two texts must share to be the same message. */
const FEWEST_SHARED = 10;

/**
 * Whether a line of the documents tells of a message. The line may fill the message's gaps, as with the name of a field, and leave off
 * its end with a gap of its own.
 */
export function tellsOf(line: string, message: string): boolean {
  const known = new Map<string, number>();
  /** The most characters that the rests can share; -Infinity when they cannot be the same. */
  const shared = (i: number, j: number): number => {
    const key = `${i} ${j}`;
    const best = known.get(key) ?? sharedAnew(i, j);
    known.set(key, best);
    return best;
  };
  const sharedAnew = (i: number, j: number): number => {
    if (i === line.length) return j === message.length ? 0 : -Infinity;
    if (line[i] === GAP && i === line.length - 1) return 0;
    if (j === message.length) return -Infinity;
    if (message[j] !== GAP) return line[i] === message[j] ? 1 + shared(i + 1, j + 1) : -Infinity;
    if (line[i] === GAP) return shared(i + 1, j + 1);
    const filled = line.slice(i, i + MOST_IN_GAP).split(GAP)[0] ?? '';
    return Math.max(-Infinity, ...Array.from(filled, (_, length) => shared(i + length + 1, j + 1)));
  };
  return shared(0, 0) >= Math.min(FEWEST_SHARED, message.length);
}
