import { createParser } from 'eventsource-parser';

/** Returns the `data` of every event of a complete stream. */
export async function getEvents(response: Response): Promise<string[]> {
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void events.push(data) });
  parser.feed(await response.text());
  return events;
}
