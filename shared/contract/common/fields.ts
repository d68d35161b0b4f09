import { z } from 'zod';
import type { InputRule } from '../../language/refusal-words.ts';

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

/** A sentence for a person, as an `AppError` has it: the one form in which words cross. */
export const told = z.object({ message: z.string(), refusal: namedRefusal.nullish() });

/** A rule of the contract by its name, in place of zod's message: whoever broke it reads the words of the catalogue. */
export const rule = (name: InputRule): InputRule => name;
