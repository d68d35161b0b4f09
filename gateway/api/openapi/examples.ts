import recorded from './examples.json' with { type: 'json' };

/** Examples by schema: requests, and what the gateway answered to them. `npm run examples` records them. */
export const examples: Readonly<Record<string, unknown>> = recorded;
