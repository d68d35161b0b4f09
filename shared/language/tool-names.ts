/** What the tools that come with the app are called, by the names that models call them by. A server's tools have its own words. */
export const toolNames: Readonly<Record<'calculator' | 'current_time' | 'fetch_page', string>> = {
  calculator: 'Calculator',
  current_time: 'Current time',
  fetch_page: 'Fetch a page',
};

/** How a call is named to a person, in these words. */
export function callTitle(
  names: typeof toolNames,
  { name, run }: { readonly name: string; readonly run?: { readonly title: string } | undefined },
): string {
  const own = Object.entries(names).find(([each]) => each === name);
  return own?.[1] ?? (run?.title || name);
}
