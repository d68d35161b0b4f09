import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../gateway/storage/open-database.ts';
import { postgresPrograms, startPostgres } from './start-postgres.ts';

/** Starts one server for the whole run, with a migrated database from which each test's own is copied. */
export default async function setup(project: TestProject) {
  const programs = postgresPrograms();
  if (!programs) throw new Error('these tests need PostgreSQL (Debian: apt install postgresql)');
  const server = await startPostgres(programs);
  const template = await server.createDatabase();
  const gatewayDb = await openDatabase(template);
  await gatewayDb.db.destroy();
  const admin = new URL(template);
  admin.pathname = '/postgres';
  project.provide('postgres', { admin: admin.href, template: new URL(template).pathname.slice(1) });
  return () => server.stop();
}
