// Reads SQL with ANTLR grammars: Oracle's PL/SQL and MySQL of antlr4ts-sql, Trino and Spark of dt-sql-parser.
//
// usage: node grammars.mjs FOLDER DIALECT   where FOLDER is that of node_modules; texts come and answers go as one JSON
// document a line, as tests/judges/src/reader.rs says.

import { createRequire, register } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [folder, dialect] = process.argv.slice(2);

// dt-sql-parser imports folders and files without their endings, which node does not allow.
const endings = `
  import { statSync } from 'node:fs';
  import { fileURLToPath } from 'node:url';
  export async function resolve(name, context, next) {
    if (name.startsWith('.') && context.parentURL) {
      const url = new URL(name, context.parentURL).href;
      const is = (kind, url) => statSync(fileURLToPath(url), { throwIfNoEntry: false })?.[kind]();
      if (is('isFile', url + '.js')) return next(url + '.js', context);
      if (is('isDirectory', url)) return next(url + '/index.js', context);
    }
    return next(name, context);
  }`;

const dtStack = async (file, name) => {
  register('data:text/javascript,' + encodeURIComponent(endings));
  const module = await import(pathToFileURL(`${folder}/node_modules/dt-sql-parser/dist/parser/${file}/index.js`));
  const reader = new module[name]();
  return (text) => reader.validate(text).map(({ startLine, message }) => ({ line: startLine, text: message }));
};

const antlr = (lexer, parser, { upperCase = false, version = null }) => {
  const require = createRequire(`${folder}/node_modules/`);
  const { ANTLRInputStream, CommonTokenStream } = require('antlr4ts');
  const { CaseChangingStream } = require('antlr4ts-sql/dist/src/models/CaseChangingStream');
  const load = (path) => require(`antlr4ts-sql/dist/src/grammar-output/${path}`)[path.split('/').pop()];
  const [Lexer, Parser] = [load(lexer), load(parser)];
  return (text) => {
    const faults = [];
    const listener = { syntaxError: (_, __, line, ___, message) => faults.push({ line, text: message }) };
    const characters = new ANTLRInputStream(text);
    const lexing = new Lexer(upperCase ? new CaseChangingStream(characters, true) : characters);
    const parsing = new Parser(new CommonTokenStream(lexing));
    for (const part of [lexing, parsing]) {
      part.removeErrorListeners();
      part.addErrorListener(listener);
      if (version) part.serverVersion = version;
    }
    parsing.sql_script();
    // A rule may end before the text does.
    const next = parsing.currentToken;
    if (!faults.length && next.type !== -1) faults.push({ line: next.line, text: `not read from here: ${next.text}` });
    return faults;
  };
};

const readers = {
  oracle: () => antlr('plsql/PlSqlLexer', 'plsql/PlSqlParser', { upperCase: true }),
  mysql: () => antlr('mysql/MySQLLexer', 'mysql/MultiQueryMySQLParser', { version: 80020 }),
  trino: () => dtStack('trino', 'TrinoSQL'),
  databricks: () => dtStack('spark', 'SparkSQL'),
};

const read = await readers[dialect]();
for await (const line of createInterface({ input: process.stdin })) {
  const { id, text } = JSON.parse(line);
  console.log(JSON.stringify({ id, faults: read(text) }));
}
