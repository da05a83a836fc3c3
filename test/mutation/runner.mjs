import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { basename, dirname, resolve, sep } from 'node:path';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { PluginKind, commonTokens, declareClassPlugin } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  TestStatus,
  determineHitLimitReached,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { transformSync } from '@swc/core';

/**
 * Runs Jest's tests for StrykerJS, in one process that keeps them loaded. Stryker's own runner for Jest starts Jest for every mutant,
 * which loads every test file, and n8n's engine with each of them: more than a minute for each mutant.
 */

/** ms of test time in the first round, which detects most mutants. */
const FIRST_ROUND_MS = 1_000;

/** ms of test time that a mutant may take, without the tests of its own file. */
const LIMIT_MS = Number(process.env.MUTATION_LIMIT_MS ?? 5_000);

/** ms after which a test has hung. The slowest takes ten seconds, or more on a busy computer. */
const TEST_TIMEOUT_MS = 20_000;

/** The same for a test without a mutant. */
const DRY_RUN_TIMEOUT_MS = 10 * TEST_TIMEOUT_MS;

/** Where the instrumented code keeps what it counts and which mutant is active. */
const stryker = (globalThis.__stryker__ = {});
const require = createRequire(import.meta.url);

const SWC = {
  jsc: { parser: { syntax: 'typescript', decorators: true }, target: 'es2022' },
  module: { type: 'commonjs' },
  sourceMaps: false,
};

const compiled = new Map();
const { '.js': js, '.json': json, '.node': native } = Module._extensions;
for (const extension of Object.keys(Module._extensions)) delete Module._extensions[extension];
const ts = (module, filename) => {
  let code = compiled.get(filename);
  if (code === undefined) {
    ({ code } = transformSync(readFileSync(filename, 'utf8'), { ...SWC, filename }));
    compiled.set(filename, code);
  }
  module._compile(code, filename);
};
// In this order Node looks for a file without its extension: NeetoForm.node.ts comes before NeetoForm.node.json.
Object.assign(Module._extensions, { '.js': js, '.ts': ts, '.json': json, '.node': native });

const circus = require('jest-circus');
const { jestExpect } = require('@jest/expect');
const { describe, it, test, beforeAll, beforeEach, afterAll, afterEach } = circus;
Object.assign(globalThis, { describe, it, test, beforeAll, beforeEach, afterAll, afterEach, expect: jestExpect });
// Stryker limits the time of each mutant. Jest's own limits would count a slow computer as a found mutant.
globalThis.jest = {
  setTimeout: () => undefined,
  async isolateModulesAsync(test) {
    const modules = unload();
    const { currentTestId } = stryker;
    // What loading executes belongs to no test.
    stryker.currentTestId = undefined;
    try {
      await test();
    } finally {
      unload();
      Object.assign(require.cache, modules);
      stryker.currentTestId = currentTestId;
    }
  },
};

/** Forgets every module outside of packages. @returns these modules, by file */
function unload() {
  const own = Object.entries(require.cache).filter(([file]) => !file.includes(`${sep}node_modules${sep}`));
  for (const [file] of own) delete require.cache[file];
  return Object.fromEntries(own);
}

class TestRunner {
  static inject = [commonTokens.options];

  constructor({ resident }) {
    this.settings = resident;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    // Stryker changes to the folder with the instrumented code after it has loaded this file.
    this.root = process.cwd();
    this.timesFile = resolve(this.root, 'reports/mutation/times.json');
    require(resolve(this.root, 'test/support/engine/instanceSetup.ts')).default();
    this.load();
    for (const event of ['uncaughtException', 'unhandledRejection']) {
      process.on(event, (error) => (this.strayError ??= error));
    }
  }

  /** Loads everything but packages anew. */
  load() {
    unload();
    circus.resetState();
    require(resolve(this.root, 'test/support/seed.ts'));
    const { tests, exclude } = this.settings;
    const chosen = process.env.MUTATION_TESTS?.split(' ') ?? tests;
    for (const file of chosen.flatMap((pattern) => globSync(pattern, { cwd: this.root, exclude }).sort())) {
      describe(file, () => void require(resolve(this.root, file)));
    }
    this.tree = circus.getState().rootDescribeBlock;
    const used = new Map();
    for (const test of testsOf(this.tree)) {
      const name = namesOf(test).join(' ');
      const times = (used.get(name) ?? 0) + 1;
      used.set(name, times);
      test.id = times === 1 ? name : `${name} (${times})`;
      if (test.fn?.length > 0) throw new Error(`${name} takes a callback, which this runner does not call`);
    }
  }

  async dryRun({ coverageAnalysis }) {
    if (coverageAnalysis !== 'perTest') throw new Error('Only coverage per test is supported');
    const tests = await this.run(() => true, { bail: false });
    mkdirSync(dirname(this.timesFile), { recursive: true });
    writeFileSync(
      this.timesFile,
      JSON.stringify(Object.fromEntries(tests.map(({ id, timeSpentMs }) => [id, timeSpentMs]))),
    );
    const perTest = stryker.mutantCoverage?.perTest ?? {};
    // What the hooks of a block cover, each of its tests covers.
    for (const block of blocksOf(this.tree)) {
      const ofHooks = perTest[hooksOf(block)];
      if (ofHooks === undefined) continue;
      delete perTest[hooksOf(block)];
      for (const { id } of testsOf(block)) {
        const ofTest = (perTest[id] ??= {});
        for (const [mutant, hits] of Object.entries(ofHooks)) ofTest[mutant] = (ofTest[mutant] ?? 0) + hits;
      }
    }
    return { status: DryRunStatus.Complete, tests, mutantCoverage: stryker.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, disableBail, hitLimit, reloadEnvironment, mutantActivation }) {
    const rounds = this.roundsOf(activeMutant.fileName, testFilter);
    const attempt = async () => {
      stryker.activeMutant = mutantActivation === 'static' ? activeMutant.id : undefined;
      if (reloadEnvironment || this.isDirty) this.load();
      this.isDirty = reloadEnvironment;
      Object.assign(stryker, {
        hitLimit,
        hitCount: hitLimit === undefined ? undefined : 0,
        activeMutant: activeMutant.id,
      });
      const tests = [];
      for (const ids of rounds) {
        tests.push(...(await this.run(({ id }) => ids.has(id), { bail: !disableBail })));
        if (!disableBail && tests.some(isFailed)) break;
      }
      const limitReached = determineHitLimitReached(stryker.hitCount, hitLimit);
      Object.assign(stryker, { hitLimit: undefined, hitCount: undefined, activeMutant: undefined });
      const failed = tests.find(isFailed);
      if (failed?.isTimeout) this.isDirty = true;
      if (limitReached !== undefined) return { result: limitReached };
      if (failed?.isTimeout) return { result: { status: DryRunStatus.Timeout, reason: failed.failureMessage }, failed };
      return { result: { status: DryRunStatus.Complete, tests }, failed };
    };
    // A mutant counts as detected only if the test that detects it passes without it, in the same modules or in fresh ones.
    for (let isFresh = false; ; isFresh = true) {
      const { result, failed } = await attempt();
      if (failed === undefined) return toMutantRunResult(result, disableBail);
      const passes = async () =>
        (await this.run(({ id }) => id === failed.id, { bail: true })).every((test) => !isFailed(test));
      if (!this.isDirty && (await passes())) return toMutantRunResult(result, disableBail);
      this.load();
      this.isDirty = false;
      if (!isFresh && !failed.isTimeout) continue;
      if (await passes()) return toMutantRunResult(result, disableBail);
      throw new Error(`Without the mutant this test fails too: ${failed.id}`);
    }
  }

  /**
   * @returns the tests of a mutant in rounds: the quickest of every test file; all in the test file with the name of the mutant's; more
   *   until they would take too long
   */
  roundsOf(fileName, testFilter) {
    const times = JSON.parse(readFileSync(this.timesFile, 'utf8'));
    const byFile = new Map();
    for (const test of testsOf(this.tree)) {
      if (testFilter !== undefined && !testFilter.includes(test.id)) continue;
      const [file] = namesOf(test);
      byFile.set(file, [...(byFile.get(file) ?? []), test.id]);
    }
    const own = [...byFile].flatMap(([file, ids]) =>
      basename(file, '.test.ts') === basename(fileName, '.ts') ? ids : [],
    );
    const queues = [...byFile.values()].map((ids) => ids.sort((a, b) => times[a] - times[b]));
    const inTurn = [];
    for (let turn = 0; queues.some((ids) => turn < ids.length); turn++) {
      inTurn.push(...queues.flatMap((ids) => ids.slice(turn, turn + 1)));
    }
    let total = 0;
    const timed = inTurn.map((id) => ({ id, endsAt: (total += times[id]) }));
    const until = (limit) => timed.filter(({ endsAt }, index) => index === 0 || endsAt <= limit).map(({ id }) => id);
    const first = new Set(until(FIRST_ROUND_MS));
    const second = new Set(own.filter((id) => !first.has(id)));
    const third = until(LIMIT_MS).filter((id) => !first.has(id) && !second.has(id));
    return [first, second, new Set(third)];
  }

  /** @returns what became of each chosen test; with bail, of each until one fails */
  async run(isChosen, { bail }) {
    const results = [];
    const failed = () => bail && results.some(isFailed);
    const runBlock = async (block) => {
      if (failed() || block.mode === 'skip' || !testsOf(block).some(isChosen)) return;
      stryker.currentTestId = hooksOf(block);
      const setUp = await outcomeOf(block.hooks.filter(({ type }) => type === 'beforeAll'));
      for (const child of block.children) {
        if (child.type === 'describeBlock') await runBlock(child);
        else if (!failed() && isChosen(child) && child.mode !== 'skip' && child.mode !== 'todo') {
          results.push(await this.runTest(child, setUp));
        }
      }
      stryker.currentTestId = hooksOf(block);
      const error = await outcomeOf(block.hooks.filter(({ type }) => type === 'afterAll'));
      const last = results.at(-1);
      if (error !== undefined && last !== undefined) fail(last, error);
      stryker.currentTestId = undefined;
    };
    await runBlock(this.tree);
    return results;
  }

  async runTest(test, setUp) {
    const begin = performance.now();
    this.strayError = undefined;
    stryker.currentTestId = test.id;
    jestExpect.setState({ currentTestName: test.id, assertionCalls: 0, suppressedErrors: [] });
    const around = [];
    for (let block = test.parent; block; block = block.parent) around.unshift(block);
    const hooks = (type, blocks) => blocks.flatMap((block) => block.hooks.filter((hook) => hook.type === type));
    const body = async () => {
      const error = setUp ?? (await outcomeOf([...hooks('beforeEach', around), test]));
      const afterError = await outcomeOf(hooks('afterEach', around.reverse()));
      await nextTurn();
      return error ?? afterError;
    };
    const limit = new AbortController();
    const timeout = wait(stryker.activeMutant === undefined ? DRY_RUN_TIMEOUT_MS : TEST_TIMEOUT_MS, 'timeout', {
      signal: limit.signal,
    }).catch(() => 'timeout');
    const error = await Promise.race([body(), timeout]);
    limit.abort();
    const result = {
      id: test.id,
      name: test.id,
      fileName: resolve(this.root, namesOf(test)[0]),
      timeSpentMs: performance.now() - begin,
      status: TestStatus.Success,
    };
    if (error === 'timeout') return { ...result, status: TestStatus.Failed, isTimeout: true, failureMessage: 'No end' };
    const first = error ?? (this.strayError && [this.strayError]);
    if (first !== undefined) fail(result, first);
    return result;
  }
}

const isFailed = ({ status }) => status === TestStatus.Failed;

/** Runs functions one after another. @returns what the first that fails throws, in a list; undefined if none fails */
async function outcomeOf(steps) {
  try {
    for (const { fn } of steps) await fn.call({});
    return undefined;
  } catch (error) {
    return [error];
  }
}

function fail(result, [error]) {
  Object.assign(result, { status: TestStatus.Failed, failureMessage: String(error?.stack ?? error) });
}

const hooksOf = (block) => `hooks of ${namesOf(block).join(' ')}`;

/** The names of a test or block and of all blocks around it; the outermost is the file. */
function namesOf(entry) {
  const names = [];
  for (let at = entry; at.parent; at = at.parent) names.unshift(at.name);
  return names;
}

function testsOf(block) {
  return block.children.flatMap((child) => (child.type === 'describeBlock' ? testsOf(child) : [child]));
}

function blocksOf(block) {
  return [block, ...block.children.filter(({ type }) => type === 'describeBlock').flatMap(blocksOf)];
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'resident', TestRunner)];
