import { asArray, asObject, type JsonObject } from '#shared/json/foreign-json.ts';

/** A message of a chat completion that was translated from another API's request. */
export interface PlacedTurn {
  readonly message: JsonObject;
  /** The place of its source in that request, such as `input[3]`. */
  readonly place: string;
}

const maxParts = 20;

/** Adapts the turns to chat completions: no files in tool results, and no turn of more than 20 parts. */
export const turnsInForm = (turns: readonly PlacedTurn[]): PlacedTurn[] =>
  filesAfterResults(turns).flatMap(inTurnsOf20);

/** Moves the files of tool results into a user's turn after the last of adjacent results. */
function filesAfterResults(turns: readonly PlacedTurn[]): PlacedTurn[] {
  const all: PlacedTurn[] = [];
  let files: JsonObject[] = [];
  let place = '';
  const giveFiles = () => {
    if (files.length > 0) all.push({ message: { role: 'user', content: [introduction, ...files] }, place });
    files = [];
  };
  for (const turn of turns) {
    const { message } = turn;
    const parts = message.role === 'tool' ? asArray(message.content).map(asObject) : [];
    const found = parts.filter(({ type }) => type === 'file');
    if (message.role !== 'tool') giveFiles();
    if (found.length === 0) all.push(turn);
    else {
      const rest = parts.filter(({ type }) => type !== 'file');
      all.push({ ...turn, message: { ...message, content: rest.length > 0 ? rest : '(A file; it follows.)' } });
      files.push(...found);
      place = turn.place;
    }
  }
  giveFiles();
  return all;
}

const introduction = { type: 'text', text: 'Files of these results:' };

function inTurnsOf20(turn: PlacedTurn): PlacedTurn[] {
  const parts = asArray(turn.message.content);
  if (turn.message.role !== 'user' || parts.length <= maxParts) return [turn];
  const pieces = Array.from({ length: Math.ceil(parts.length / maxParts) }, (_, at) =>
    parts.slice(at * maxParts, (at + 1) * maxParts),
  );
  return pieces.map((content) => ({ ...turn, message: { ...turn.message, content } }));
}
