import js from '@eslint/js';
import { buildScanConfig } from '@n8n/scan-community-package/scanner/scanner.mjs';
import { defineConfig, globalIgnores } from 'eslint/config';
import tmp from 'tmp';
import tseslint from 'typescript-eslint';

// The scanner makes a temporary folder, which it would leave behind.
tmp.setGracefulCleanup();

const shipped = ['credentials/**/*.ts', 'nodes/**/*.ts'];

export default defineConfig(
  globalIgnores(['dist/', 'coverage/', 'reports/', '.stryker-tmp/', '.cache/', '**/fixtures/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },

  { rules: { 'no-warning-comments': ['error', { terms: ['todo', 'fixme'] }] } },

  // The typed lint of every TypeScript file, shipped or not.
  {
    files: ['**/*.ts'],
    extends: [js.configs.recommended, tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.dev.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/array-type': ['error', { default: 'array-simple' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      // In n8n an empty text is a field left empty: `||` is meant.
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
      // A number in a text is unambiguous.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `() => server.close()` says what it does.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Interfaces of n8n and Fastify ask for promises where our side has nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      // n8n's functions declare their `this`, and tsc checks it at every call; the rule cannot tell them from forgotten bindings.
      '@typescript-eslint/unbound-method': 'off',
    },
  },

  // Configuration files of the tools, plain JavaScript.
  {
    files: ['**/*.{js,cjs,mjs}'],
    extends: [js.configs.recommended],
    languageOptions: {
      globals: Object.fromEntries(
        Object.getOwnPropertyNames(globalThis)
          .concat('module', 'require', '__dirname')
          .map((name) => [name, 'readonly']),
      ),
    },
  },

  // n8n's own rules, as its scanner sets them before n8n verifies a package. No comment switches one off.
  {
    files: ['package.json', ...shipped],
    extends: [await buildScanConfig()],
    linterOptions: { noInlineConfig: true },
  },
);
