import * as fc from 'fast-check';

/** A run of the tests tries the same values each time; FAST_CHECK_SEED takes others. */
fc.configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 20_261_120) });
