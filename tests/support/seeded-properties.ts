import fc from 'fast-check';

/** With a seed in the environment (`npm run proof -- --seed N`) every property is tried on the same inputs as then. */
if (process.env.PORTICO_SEED)
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.PORTICO_SEED) });
