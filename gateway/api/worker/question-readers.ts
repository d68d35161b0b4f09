import { completionReader, eitherReader, promptReader, type QuestionReader } from '../chat/read-question.ts';
import { countTokensReader, messagesReader } from '../messages/read-messages-request.ts';
import { responsesReader } from '../responses/read-responses-request.ts';

const readers = new Map(
  [promptReader, completionReader, eitherReader, responsesReader, messagesReader, countTokensReader].map(
    (reader): [string, QuestionReader] => [reader.name, reader],
  ),
);

/** The reader of a form of chat requests, by its name. */
export function getQuestionReader(name: string): QuestionReader {
  const reader = readers.get(name);
  if (!reader) throw new Error(`there is no form of chat requests "${name}"`);
  return reader;
}
