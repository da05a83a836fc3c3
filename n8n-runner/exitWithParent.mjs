// Preloaded into every process group that process.ts starts: a parent that was killed outright cannot clean up after itself.
const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid !== parent) process.kill(0, 'SIGKILL');
}, 1000);
watch.unref();
