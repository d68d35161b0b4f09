/** Display names of the built-in tools by their wire names. A server's tools bring their own names. */
export const toolNames: Readonly<Record<'calculator' | 'current_time' | 'fetch_page', string>> = {
  calculator: 'Calculator',
  current_time: 'Current time',
  fetch_page: 'Fetch a page',
};

/** The display name of a call. */
export function callTitle(
  names: typeof toolNames,
  { name, run }: { readonly name: string; readonly run?: { readonly title: string } | undefined },
): string {
  const own = Object.entries(names).find(([wireName]) => wireName === name);
  return own?.[1] ?? (run?.title || name);
}
