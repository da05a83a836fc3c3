# n8n with the NeetoForm nodes. See docs/docker.md.
ARG N8N_VERSION=2.41.1

FROM node:24.21.0-alpine AS package
# A version of the package, such as 1.2.0.
ARG NEETOFORM_VERSION
WORKDIR /home/node/.n8n/nodes
RUN npm install --ignore-scripts --omit=dev --no-audit --no-fund \
    "n8n-nodes-neetoform@${NEETOFORM_VERSION:?Add --build-arg NEETOFORM_VERSION=…}"

FROM n8nio/n8n:${N8N_VERSION}
# n8n loads community packages from this folder.
COPY --from=package --chown=node:node /home/node/.n8n/nodes /home/node/.n8n/nodes
ENV N8N_UNVERIFIED_PACKAGES_ENABLED=true
