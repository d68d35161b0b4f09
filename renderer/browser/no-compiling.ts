import { config } from 'zod/v4/core';

/**
 * Zod tries whether it may compile functions, which the page's policy forbids and reports. The build puts this
 * into one chunk with zod, so that it is said before the first schema is made.
 * https://github.com/colinhacks/zod/discussions/6671 (2026-11-22)
 */
config({ jitless: true });
