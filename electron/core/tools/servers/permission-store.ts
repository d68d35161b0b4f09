import type { Db, Tables } from '../../storage/database/db.ts';

/**
 * The subject of a permission. `fingerprint` is that of the server when the permission was given, or the name of a
 * built-in tool.
 */
export interface PermissionFor {
  readonly serverId: string | null;
  readonly tool: string;
  readonly fingerprint: string;
}

export function permissionStore(db: Db) {
  return {
    all: (): Promise<Tables['tool_permissions'][]> =>
      db.selectFrom('tool_permissions').selectAll().orderBy('granted_at', 'desc').execute(),

    /** Whether exactly this tool is permitted, in this chat or in all. */
    async has({ serverId, tool, fingerprint }: PermissionFor, conversationId: string): Promise<boolean> {
      const row = await db
        .selectFrom('tool_permissions')
        .select('id')
        .where('server_id', serverId === null ? 'is' : '=', serverId)
        .where('tool', '=', tool)
        .where('fingerprint', '=', fingerprint)
        .where((or) => or.or([or('conversation_id', 'is', null), or('conversation_id', '=', conversationId)]))
        .executeTakeFirst();
      return row !== undefined;
    },

    async grant(id: string, given: PermissionFor, conversationId: string | null, now: number): Promise<void> {
      const { serverId, tool, fingerprint } = given;
      await db
        .insertInto('tool_permissions')
        .values({ id, server_id: serverId, tool, fingerprint, conversation_id: conversationId, granted_at: now })
        .execute();
    },

    async forget(id: string): Promise<void> {
      await db.deleteFrom('tool_permissions').where('id', '=', id).execute();
    },
    async forgetAll(): Promise<void> {
      await db.deleteFrom('tool_permissions').execute();
    },
    /** A server with another transport counts as another server. */
    async forgetServer(serverId: string): Promise<void> {
      await db.deleteFrom('tool_permissions').where('server_id', '=', serverId).execute();
    },
  };
}

export type PermissionStore = ReturnType<typeof permissionStore>;
