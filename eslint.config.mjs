import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import sonarjs from 'eslint-plugin-sonarjs';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const shipped = ['credentials/**/*.ts', 'nodes/**/*.ts'];

export default defineConfig(
  globalIgnores(['dist/', 'reports/', '.cache/']),
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

  // What nesting, branches and mixed conditions cost a reader.
  { plugins: { sonarjs }, files: ['**/*.{ts,js,cjs,mjs}'], rules: { 'sonarjs/cognitive-complexity': ['error', 15] } },
  { files: shipped, rules: { 'sonarjs/cognitive-complexity': ['error', 12] } },

  // Configuration files of the tools, plain JavaScript.
  {
    files: ['**/*.{js,cjs,mjs}'],
    extends: [js.configs.recommended],
    languageOptions: {
      globals: { __dirname: false, console: false, module: false, process: false, require: false, setInterval: false },
    },
  },

  // n8n's own rules, set as its `n8n-node lint` sets them.
  { files: shipped, extends: [n8nCommunityNodesPlugin.configs.recommended] },
  { plugins: { 'n8n-nodes-base': n8nNodesBase } },
  {
    files: ['package.json'],
    extends: [n8nCommunityNodesPlugin.configs.recommended],
    rules: n8nNodesBase.configs.community.rules,
    languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
  },
  {
    files: ['credentials/**/*.ts'],
    rules: {
      ...n8nNodesBase.configs.credentials.rules,
      // n8n's own setting: the rule knows the documentation links of n8n's built-in nodes only.
      'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
    },
  },
  {
    files: ['nodes/**/*.ts'],
    rules: {
      ...n8nNodesBase.configs.nodes.rules,
      // n8n's own settings: inputs and outputs may be the enum instead of the text "main".
      'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
      'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
      // n8n's own setting: a service may have a real maximum.
      'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
    },
  },
);
