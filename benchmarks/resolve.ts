import { registerHooks } from 'node:module';

/** Lets Node.js load n8n's engine and the tests' set-up of it, which are written for bundlers and for Jest. */
registerHooks({
  resolve(specifier, context, nextResolve) {
    // The ES modules of n8n-workflow leave out file extensions.
    if (specifier === 'n8n-workflow') return nextResolve(specifier, { ...context, conditions: ['node', 'require'] });
    try {
      return nextResolve(specifier, context);
    } catch (error) {
      if (!specifier.startsWith('.')) throw error;
      return nextResolve(`${specifier}.ts`, context);
    }
  },
});
