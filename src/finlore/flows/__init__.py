"""What the product does: `workspace` tells the story, the other modules are its longer chapters.

The only package that, with `wiring`, brings stages and adapters together.
"""

from finlore.flows.answering import Asked as Asked
from finlore.flows.facts import Timeline as Timeline
from finlore.flows.finding import DocumentTables as DocumentTables
from finlore.flows.finding import EntityPage as EntityPage
from finlore.flows.ingest import Progress as Progress
from finlore.flows.schemas import InducedSchema as InducedSchema
from finlore.flows.workspace import Workspace as Workspace
