import { createParser } from 'eventsource-parser';

/** The `data` of every event of a whole stream. */
export async function getEvents(response: Response): Promise<string[]> {
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void events.push(data) });
  parser.feed(await response.text());
  return events;
}
