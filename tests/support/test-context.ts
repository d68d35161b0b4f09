import type { CoreContext } from '#core/storage/core-context.ts';

/** The context of a feature that is tested alone: the test gives what the feature uses, and nothing else may be used. */
export const testContext = (used: { readonly [Key in keyof CoreContext]?: unknown }): CoreContext =>
  used as CoreContext;
