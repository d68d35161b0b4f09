import fc from 'fast-check';

/**
 * With a seed in the environment (`npm run proof -- --seed N`), every property test uses the same inputs as that run.
 */
if (process.env.PORTICO_SEED)
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.PORTICO_SEED) });
