// Loads the built nodes and the credential with the Node.js version that runs this file.
const { join } = require('node:path');
const root = join(__dirname, '..');
const { n8n } = require(join(root, 'package.json'));

for (const file of [...n8n.nodes, ...n8n.credentials]) {
  for (const [name, Class] of Object.entries(require(join(root, file)))) {
    new Class();
    console.log(`${name} loads with Node.js ${process.version}`);
  }
}
