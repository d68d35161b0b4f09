import { z } from 'zod';

export const id = z.string().min(1).max(64);
/** Epoch milliseconds. */
export const timeMs = z.int();
/** `router`, or `provider/model` as the catalogue lists it. */
export const modelId = z.string().min(1).max(300);
/** Which ledger account pays: the user's own (`main`) or the sandbox's test credits. */
export const wallet = z.enum(['main', 'sandbox']);
export type Wallet = z.infer<typeof wallet>;

/** Where a secret is kept: the OS keychain, this session's memory only, or the environment the app was started with. */
export const secretStorage = z.enum(['keychain', 'session', 'environment']);
export type SecretStorage = z.infer<typeof secretStorage>;

/** Words of the app's own catalogue: their name there, and the values in them. */
export const namedRefusal = z.object({ name: z.string(), values: z.record(z.string(), z.unknown()) });

/** A sentence for a person. Without `refusal` it is somebody else's, such as a provider's, and is shown as it is. */
export const told = z.object({ message: z.string(), refusal: namedRefusal.nullish() });
export type Told = z.infer<typeof told>;
