const names: Record<string, string> = {
  anthropic: 'Anthropic',
  google: 'Google',
  openai: 'OpenAI',
  'openai-compatible': 'Your server',
  portico: 'Portico',
  sandbox: 'Sandbox',
};

/** A provider as people write it; one that is not known here as its gateway names it. */
export const providerName = (id: string): string => names[id] ?? id;
