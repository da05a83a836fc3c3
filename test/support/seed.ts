import * as fc from 'fast-check';

/** Random values are the same in each run, unless FAST_CHECK_SEED sets another seed. */
fc.configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 20_261_120) });
