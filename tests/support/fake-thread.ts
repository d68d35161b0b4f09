import type { Message } from '#shared/contract/chat/conversations.ts';

/** The branch tree of the fake core. It follows the same rules as the core's, over an array. */
export function fakeThread(messages: () => readonly Message[]) {
  const shown = new Map<string, string>();
  const removed = new Map<string, Set<string>>();
  const isThere = ({ id }: Message) => ![...removed.values()].some((ids) => ids.has(id));
  const getKey = (message: Message) => message.parentId ?? `root ${message.conversationId}`;
  const getChildren = (key: string) => messages().filter((message) => getKey(message) === key && isThere(message));
  const getChild = (key: string) => {
    const children = getChildren(key);
    return children.find(({ id }) => id === shown.get(key)) ?? children.at(-1);
  };
  const find = (id: string) => messages().find((message) => message.id === id);

  /** Adds the message's position among its siblings, unless the fake message states one. */
  const numbered = (message: Message): Message => {
    const all = getChildren(getKey(message));
    if (all.length < message.sibling.count) return message;
    return { ...message, sibling: { index: all.findIndex(({ id }) => id === message.id) + 1, count: all.length } };
  };

  function show(id: string): void {
    for (let message = find(id); message; message = find(message.parentId ?? ''))
      shown.set(getKey(message), message.id);
  }

  return {
    numbered,
    show,
    branch(conversationId: string): Message[] {
      const path: Message[] = [];
      for (let next = getChild(`root ${conversationId}`); next; next = getChild(next.id)) path.push(numbered(next));
      return path;
    },
    sibling(id: string, step: number): string {
      const message = find(id);
      const all = message ? getChildren(getKey(message)) : [];
      return all[all.findIndex((entry) => entry.id === id) + step]?.id ?? id;
    },
    remove(id: string): { deletionId: string; messages: number } {
      const gone = new Set([id]);
      for (const message of messages()) if (message.parentId && gone.has(message.parentId)) gone.add(message.id);
      const deletionId = `deletion-${id}`;
      removed.set(deletionId, gone);
      return { deletionId, messages: gone.size };
    },
    restore: (deletionId: string): boolean => removed.delete(deletionId),
  };
}
