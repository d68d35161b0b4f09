import { z } from 'zod';
import type { InputRule } from '../../language/refusal-words.ts';
import { usdAmount } from '../../wire/scalars.ts';

export const id = z.string().min(1).max(64);
/** Epoch milliseconds. */
export const timeMs = z.int();
/** `router`, or `provider/model` as the catalogue lists it. */
export const modelId = z.string().min(1).max(300);
/**
 * The built-in gateway's billing accounts: the user's own keys (`main`) or test credits (`sandbox`). A remote gateway's
 * account is `main`, too.
 */
export const billingAccount = z.enum(['main', 'sandbox']);
export type BillingAccount = z.infer<typeof billingAccount>;

/** Where a secret is stored: the OS keychain, memory for this session only, or an environment variable. */
export const secretStorage = z.enum(['keychain', 'session', 'environment']);
export type SecretStorage = z.infer<typeof secretStorage>;

/** A text of the app's message catalogue, by name and parameters. */
export const namedRefusal = z.object({ name: z.string(), values: z.record(z.string(), z.unknown()) });

/** A sentence for the user, as in `AppError`. Texts are sent in no other form. */
export const problemText = z.object({ message: z.string(), refusal: namedRefusal.nullish() });

/** Names a rule of the contract in place of zod's message. The catalogue then supplies the message for a violation. */
export const rule = (name: InputRule): InputRule => name;

/** An amount as people write it: up to nine digits on each side of the decimal point. */
export const amountPattern = /^\d{1,9}(\.\d{1,9})?$/;
/** A spending limit in USD. Null means no limit. */
export const usdLimit = usdAmount.regex(amountPattern, rule('amount')).nullable();
