import { html, Html } from './html.ts';

const STYLE = new Html(`
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --paper: #fff; --back: #eef1f6; --line: #b9c2cf; --accent: #2b4fd8; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #edf0f5; --soft: #a9b3c1; --paper: #1d222b; --back: #12161c; --line: #4b5666; --accent: #8ea6ff; --bad: #ff9a92; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 40rem; margin: 2rem auto; padding: 2rem; background: var(--paper); border-radius: .75rem; box-shadow: 0 1px 4px rgb(0 0 0 / 15%); }
h1 { margin: 0 0 1.5rem; font-size: 1.6rem; line-height: 1.25; }
.question { margin: 0 0 1.5rem; padding: 0; border: 0; min-width: 0; }
.question > label, legend { display: block; margin: 0 0 .35rem; padding: 0; font-weight: 600; }
.part { display: block; margin: .35rem 0; }
.part > span { display: block; color: var(--soft); font-size: .9rem; }
.option { display: flex; gap: .6rem; align-items: center; padding: .2rem 0; }
.scale { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
input:not([type=radio], [type=checkbox]), textarea, select { width: 100%; padding: .55rem .7rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .4rem; }
select option { color: #1c2430; background: #fff; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
.required, .problem { color: var(--bad); }
.problem { margin: .3rem 0 0; }
.summary { margin: 0 0 1.5rem; padding: .8rem 1rem; border: 2px solid var(--bad); border-radius: .4rem; }
.soft { color: var(--soft); }
button { padding: .65rem 1.6rem; font: inherit; font-weight: 600; color: #fff; background: #2b4fd8; border: 0; border-radius: .4rem; cursor: pointer; }
a { color: var(--accent); }
`);

/**
 * A whole page.
 * @param title names the page in the browser and heads it
 */
export function layout(title: string, content: Html): string {
  return html`<!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `.text;
}
