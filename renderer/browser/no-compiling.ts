import { config } from 'zod/v4/core';

/**
 * Zod tests whether it may compile functions, which violates the page’s policy and would be reported. The build puts
 * this into one chunk with Zod, so that it runs before the first schema is made.
 * https://github.com/colinhacks/zod/discussions/6671 (2026-11-22)
 */
config({ jitless: true });
