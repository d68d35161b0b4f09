import { words } from './language.ts';

/** Texts next to the sentence of a failed answer. */
export const failureText = words({
  otherModel: 'Other model',
  providerReports: (provider: string) => `${provider} says:`,
  providerUnnamed: 'The provider',
  failedOn: (model: string, provider: string | null) => (provider ? `${model} · ${provider}` : model),
  retryingIn: (seconds: number) => `Retrying by itself in ${seconds} s.`,
  dontRetry: 'Cancel',
  chatSettings: 'Chat settings',
});
