import manifest from '../package.json' with { type: 'json' };

/** The build that answers, as in `x-portico-version`. */
export const version: string = manifest.version;
