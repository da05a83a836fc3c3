import ts from 'typescript';
import { expectGenerated, findFiles, pathTo, readText } from './repositoryFiles';

const nodesIn = (node: ts.Node): ts.Node[] => [node, ...childrenOf(node).flatMap(nodesIn)];

function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = [];
  node.forEachChild((child) => void children.push(child));
  return children;
}

/** A text of the source, with `…` for each value that is put into it; undefined for what is no text. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('…');
}

// The messages of errors are in no description: they stand where they are thrown. So the file lists all texts of several words.
it('what the code says changes only together with the file that lists it', () => {
  const sources = findFiles('{credentials,nodes}/**/*.ts')
    .toSorted()
    .map((file) => ({ file, nodes: nodesIn(ts.createSourceFile(file, readText(file), ts.ScriptTarget.Latest)) }));
  const all = sources.flatMap(({ nodes }) => nodes);
  // A text that is also a type, such as the kind of a failure, is a name in the code. No user sees it.
  const names = new Set(all.flatMap((node) => (ts.isLiteralTypeNode(node) ? textOf(node.literal) : [])));
  const descriptions = readText('test/repository/whatUsersSee.json');
  const isSaid = (text: string) =>
    /\p{L}.* .*\p{L}/su.test(text) && !names.has(text) && !descriptions.includes(JSON.stringify(text).slice(1, -1));
  const said = sources.map(({ file, nodes }): [file: string, texts: string[]] => {
    const texts = nodes.flatMap((node) => textOf(node) ?? []);
    return [file, texts.filter(isSaid).toSorted()];
  });
  const listed = Object.fromEntries(said.filter(([, texts]) => texts.length > 0));
  expect(Object.keys(listed)).toContain('nodes/NeetoForm/parameters/reader.ts');
  expectGenerated(pathTo('test/repository/sentences.json'), `${JSON.stringify(listed, undefined, 2)}\n`);
});
