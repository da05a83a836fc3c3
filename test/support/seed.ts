import * as fc from 'fast-check';

/** The seed of random values. It is the same in each run of the tests, unless FAST_CHECK_SEED sets another. */
fc.configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 20_261_120) });
