/** Names of a chat completion's fields, as a request of the Responses API calls them. */
const names: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  verbosity: 'text.verbosity',
  reasoning_effort: 'reasoning.effort',
};

/** The field that is meant by a place in a chat completion; itself where it is called the same. */
export function ownName(param: string | null): string | null {
  const [name = ''] = (param ?? '').split(/[.[]/, 1);
  return names[name] ?? param;
}
